export { scannedSize } from './scan-history.ts';
