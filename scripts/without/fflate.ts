export { strFromU8, unzip } from 'fflate/browser';
