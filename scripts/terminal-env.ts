/** The environment of a program on a terminal of a script's own, which keeps everything in a folder. */
export const terminalEnv = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  PAYCLI_HOME: home,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
});
