import { EVENTS } from '../../core/webhook-event.ts';
import { nowOf, refusal } from '../service.ts';
import { addWebhook, removeWebhook, replayDelivery, triggerEvent } from '../webhooks.ts';
import type { PostedForm } from './view.ts';

const SECRET = /^[\x21-\x7e]{8,512}$/;

export const webhookAdd = async ({ desk, form }: PostedForm): Promise<string> => {
  const [url = '', event = '', secret = ''] = ['url', 'event', 'secret'].map((name) => form.get(name)?.trim());
  if (secret !== '' && !SECRET.test(secret)) throw refusal(422, 'a secret has 8 to 512 characters without blanks');
  const events = event.split(/[\s,]+/).filter((pattern) => pattern !== '');
  const added = addWebhook(desk.service.store, { url, events, secret: () => secret, allowRemote: false });
  return `Events are sent to ${added.url} from now on.`;
};

export const webhookRemove = async ({ desk, form }: PostedForm): Promise<string> => {
  const { url } = removeWebhook(desk.service.store, Number(form.get('id')));
  return `Nothing is sent to ${url} any more.`;
};

export const webhookTrigger = async ({ desk, form }: PostedForm): Promise<string> => {
  const event = EVENTS.find((known) => known === form.get('event'));
  if (event === undefined) throw refusal(422, 'there is no such event');
  const { service } = desk;
  const { webhooks } = triggerEvent(service.store, event, form.get('ugwo')?.trim() || undefined, nowOf(service));
  return `${event} goes to ${webhooks === 1 ? 'one address' : `${webhooks} addresses`}.`;
};

export const webhookReplay = async ({ desk, form }: PostedForm): Promise<string> => {
  const { event } = replayDelivery(desk.service.store, Number(form.get('id')));
  return `${event} is sent again.`;
};
