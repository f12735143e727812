/** The longest name of an item, in characters: "Restrictions and limitations in OneDrive". */
export const LONGEST_NAME = 255;

/** The longest path below the root of a drive, in characters: likewise. */
export const LONGEST_PATH = 400;
