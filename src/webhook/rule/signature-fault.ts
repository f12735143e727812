import { GoFault } from '../../go/go-fault.ts';

/** A signature that is wrong. */
export class SignatureFault extends GoFault {}
