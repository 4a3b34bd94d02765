import type { PassOn } from '../core/result.ts';
import type { GivenOptions } from './define.ts';
import { flag } from './define.ts';

/** How a customer's next step is passed on. */
export const PASS_ON_OPTIONS = {
  copy: flag(
    '--copy',
    "copy the account number or the code to dial to the terminal's clipboard; with --share, the message",
  ),
  share: flag('--share', 'print a message to send to the customer, and nothing else'),
  qr: flag('--qr', 'draw the code to dial as a QR code even where it may not scan'),
  noQr: flag('--no-qr', 'draw no QR code'),
} as const;

export const readPassOn = ({ copy = false, share = false, qr }: GivenOptions<typeof PASS_ON_OPTIONS>): PassOn => ({
  copy,
  share,
  qr: qr === undefined ? 'auto' : qr ? 'always' : 'never',
});
