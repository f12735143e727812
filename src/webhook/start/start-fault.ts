/** The server cannot start; the message is for the log. */
export class StartFault extends Error {}
