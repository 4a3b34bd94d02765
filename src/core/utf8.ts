import { memo } from './memo.ts';
import { tried } from './tried.ts';

const decoder = memo(() => new TextDecoder('utf-8', { fatal: true }));

/** Bytes as the text that they are, without a byte order mark before it; undefined where they are none. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => tried(() => decoder().decode(bytes));
