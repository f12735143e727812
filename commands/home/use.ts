export { runAsStep } from './run-own-command.ts';
