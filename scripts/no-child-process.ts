/** Stands in for node:child_process in commander, which starts programs only for commands that are files of their own: paycli has none. */
export default undefined;
