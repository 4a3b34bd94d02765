/** What is asked for where nothing else would do, and never here. */
export default undefined;
