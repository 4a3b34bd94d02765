import fc from 'fast-check';

const PAGE = 4096;
const MILLION = 1_000_000;

/** Damage to a file's bytes from outside the program. */
export type Damage =
  | { readonly how: 'bytes'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly how: 'copy' | 'swap' | 'old' | 'zero'; readonly page: number; readonly other: number }
  | { readonly how: 'end'; readonly at: number };

const page = fc.nat(200);

const KINDS: readonly Damage['how'][] = ['bytes', 'copy', 'swap', 'old', 'zero', 'end'];

const damageOf = (how: Damage['how']): fc.Arbitrary<Damage> => {
  const at = fc.nat(MILLION);
  if (how === 'bytes')
    return fc.record({ how: fc.constant(how), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 32 }) });
  if (how === 'end') return fc.record({ how: fc.constant(how), at });
  return fc.record({ how: fc.constant(how), page, other: page });
};

/** Damage of any kind. */
export const damages = (): fc.Arbitrary<Damage> => fc.oneof(...KINDS.map(damageOf));

const pagesOf = (file: Buffer): number => Math.max(1, Math.ceil(file.length / PAGE));
const pageAt = (file: Buffer, nth: number): Buffer => {
  const from = (nth % pagesOf(file)) * PAGE;
  return file.subarray(from, from + PAGE);
};

const struck = (file: Buffer, older: readonly Buffer[], one: Damage): Buffer => {
  if (one.how === 'end') return file.subarray(0, Math.floor((one.at * file.length) / MILLION));
  if (one.how === 'bytes') {
    file.set(
      one.bytes.subarray(0, file.length),
      Math.floor((one.at * Math.max(0, file.length - one.bytes.length)) / MILLION),
    );
    return file;
  }
  const [to, from] = [pageAt(file, one.page), pageAt(file, one.other)];
  const kept = Buffer.from(to);
  if (one.how === 'zero') to.fill(0);
  else if (one.how === 'old') to.set(pageAt(older[one.other % older.length] ?? file, one.page).subarray(0, to.length));
  else to.set(from.subarray(0, to.length));
  if (one.how === 'swap') from.set(kept.subarray(0, from.length));
  return file;
};

/** The damaged file; `older` are earlier copies of it. */
export const damaged = (file: Buffer, older: readonly Buffer[], damage: Damage): Buffer =>
  struck(Buffer.from(file), older, damage);
