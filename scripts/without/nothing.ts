/** What takes the place of a module that a package asks for and, as paycli uses it, never touches: touching it throws. */
export default undefined;
