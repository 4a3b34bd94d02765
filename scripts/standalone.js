// What the standalone program starts: no Node whose age would be asked, and its code is compiled beforehand.
import { main } from '../dist/main.js';

void main();
