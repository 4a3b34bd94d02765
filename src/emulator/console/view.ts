import { html } from 'hono/html';
import type { RequestLog } from '../request-log.ts';
import type { Service } from '../service.ts';

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>;

/** What a state looks like beside its word. */
export type Tone = 'good' | 'bad' | 'open' | 'off' | 'plain';

/** A text that may change while its page is open. */
export type LiveCell = readonly [id: string, text: string, tone: Tone];

/** How commands name the emulator that they are for. */
export interface EmulatorPlace {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Its data file, where that is not the usual one. */
  readonly data: string | undefined;
}

/** What the pages of one console are made from. */
export interface Desk {
  readonly service: Service;
  readonly requests: RequestLog;
  /** How its commands name this emulator. */
  readonly place: EmulatorPlace;
  /** The path under which all of its pages are, its token included. */
  readonly root: string;
}

/** One page that is being made. */
export interface PageView extends Desk {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly now: number;
  readonly query: URLSearchParams;
  /** A text in the page that its script brings up to date by itself. */
  readonly live: (id: string, text: string, tone?: Tone) => Markup;
}

/** A page as it is shown inside the frame that all have. */
export interface Page {
  readonly title: string;
  /** Which entry of the navigation it belongs to; empty for none. */
  readonly section: string;
  readonly body: Markup;
  /** 200 unless it says so. */
  readonly status?: number;
  /** Its rows are added by the script as requests come in. */
  readonly feed?: true;
}

/** A view, and the cells that were asked of it; `blank` leaves their texts out, so that only the shape of the page is left. */
export const openView = (desk: Desk, now: number, query: URLSearchParams, blank: boolean) => {
  const cells: LiveCell[] = [];
  const live: PageView['live'] = (id, text, tone = 'plain') => {
    cells.push([id, text, tone]);
    if (blank) return html`<span data-live="${id}"></span>`;
    return html`<span data-live="${id}" data-tone="${tone}">${text}</span>`;
  };
  return { view: { ...desk, now, query, live }, cells };
};

/** The service, asked as by a client of its own. */
export type CallService = (method: string, path: string, body?: unknown) => Promise<{ status: number; json: unknown }>;

/** What a form has sent, to which console, and how that asks the service. */
export interface PostedForm {
  readonly desk: Desk;
  readonly form: URLSearchParams;
  readonly ask: CallService;
  /** What stands in the path for `{uid}`. */
  readonly uid: string;
}
