/** A failure while a request is read or judged, worded as webhook 2.8.0 words it. */
export class GoFault extends Error {}
