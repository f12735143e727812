/** Stands where a question has no room: it cannot be answered. */
export const ENLARGE = 'enlarge the window to answer';

/** How many lines of a question that scrolls have to be seen: what happens, and to what. */
export const ENOUGH_LINES = 6;
