/**
 * Splits a line as a shell does, as far as the documents need; a pipe, a redirection or a comment ends the command.
 */
export const words = (line: string): string[] => {
  const found = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  const end = found.findIndex(([, , , bare]) => bare !== undefined && /^[|#>]/.test(bare));
  return (end === -1 ? found : found.slice(0, end)).map((match) => match[1] ?? match[2] ?? match[3] ?? '');
};
