import { EVENTS } from '../../core/event.ts';
import { nowOf } from '../answer.ts';
import { refusal } from '../refusal.ts';
import { triggerEvent } from '../trigger.ts';
import { addWebhook, removeWebhook, replayDelivery } from '../webhooks.ts';
import type { Done, Posted } from './view.ts';

const page = 'webhooks';
const SECRET = /^[\x21-\x7e]{8,512}$/;

export const webhookAdd = async ({ desk, form }: Posted): Promise<Done> => {
  const [url, event, secret] = ['url', 'event', 'secret'].map((name) => (form.get(name) ?? '').trim()) as [
    string,
    string,
    string,
  ];
  if (secret !== '' && !SECRET.test(secret)) throw refusal(422, 'a secret has 8 to 512 characters without blanks');
  const events = event.split(/[\s,]+/).filter((pattern) => pattern !== '');
  const added = addWebhook(desk.service, { url, events, secret: () => secret, allowRemote: false });
  return { said: `Events are sent to ${added.url} from now on.`, page };
};

export const webhookRemove = async ({ desk, form }: Posted): Promise<Done> => {
  const { url } = removeWebhook(desk.service, Number(form.get('id')));
  return { said: `Nothing is sent to ${url} any more.`, page };
};

export const webhookTrigger = async ({ desk, form }: Posted): Promise<Done> => {
  const event = EVENTS.find((known) => known === form.get('event'));
  if (event === undefined) throw refusal(422, 'there is no such event');
  const ugwo = (form.get('ugwo') ?? '').trim();
  const { service } = desk;
  const { webhooks } = triggerEvent(service, event, ugwo === '' ? undefined : ugwo, nowOf(service));
  return { said: `${event} goes to ${webhooks === 1 ? 'one address' : `${webhooks} addresses`}.`, page };
};

export const webhookReplay = async ({ desk, form }: Posted): Promise<Done> => {
  const { event } = replayDelivery(desk.service, Number(form.get('id')));
  return { said: `${event} is sent again.`, page };
};
