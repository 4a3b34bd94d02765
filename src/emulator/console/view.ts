import { html } from 'hono/html';
import type { RequestLog } from '../request-log.ts';
import type { Service } from '../service.ts';

/** Escaped markup of a page or a part of one. */
export type Markup = ReturnType<typeof html>;

/** Appearance of a state beside its label. */
export type Tone = 'good' | 'bad' | 'open' | 'off' | 'plain';

/** A text that may change while its page is open. */
export type LiveCell = readonly [id: string, text: string, tone: Tone];

/** Information that commands need to address this emulator. */
export interface EmulatorPlace {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The data file, unless it is the default one. */
  readonly data: string | undefined;
}

/** Dependencies of a console's pages. */
export interface Desk {
  readonly service: Service;
  readonly requests: RequestLog;
  /** Addresses this emulator in the shown commands. */
  readonly place: EmulatorPlace;
  /** Path prefix of all pages, including the token. */
  readonly root: string;
}

/** A page while it is rendered. */
export interface PageView extends Desk {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly now: number;
  readonly query: URLSearchParams;
  /** Renders a text that the page's script keeps up to date. */
  readonly live: (id: string, text: string, tone?: Tone) => Markup;
}

/** A page inside the common layout. */
export interface Page {
  readonly title: string;
  /** The page's entry in the navigation; empty for none. */
  readonly section: string;
  readonly body: Markup;
  /** HTTP status; 200 if undefined. */
  readonly status?: number;
  /** The script adds rows as requests come in. */
  readonly feed?: true;
}

/**
 * Opens a view and collects its live cells; `blank` leaves out their texts, so that only the shape of the page remains.
 */
export const openView = (desk: Desk, now: number, query: URLSearchParams, blank: boolean) => {
  const cells: LiveCell[] = [];
  const live: PageView['live'] = (id, text, tone = 'plain') => {
    cells.push([id, text, tone]);
    if (blank) return html`<span data-live="${id}"></span>`;
    return html`<span data-live="${id}" data-tone="${tone}">${text}</span>`;
  };
  return { view: { ...desk, now, query, live }, cells };
};

/** Calls the service as its own client would. */
export type CallService = (method: string, path: string, body?: unknown) => Promise<{ status: number; json: unknown }>;

/** A submitted form with its console, and the function to call the service. */
export interface PostedForm {
  readonly desk: Desk;
  readonly form: URLSearchParams;
  readonly ask: CallService;
  /** The part of the path for `{uid}`. */
  readonly uid: string;
}
