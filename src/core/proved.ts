import type { PayError } from './error.ts';

/** What an error proves of the write that it ended. */
export type Proved = 'rejected' | 'not_sent' | 'unknown';

/** The one place where it is decided what is certain after an error: what is not named here may have been done. */
export const provedBy = ({ kind, detail }: PayError): Proved => {
  switch (kind) {
    case 'rejected':
      return 'rejected';
    case 'auth':
      return detail.status === undefined ? 'not_sent' : 'rejected';
    case 'not_sent':
    case 'usage':
    case 'interrupted':
      return 'not_sent';
    default:
      return 'unknown';
  }
};
