export { ChangeUndoer, type Undone } from './change-undoer.ts';
export { PlacesNow } from './places-now.ts';
export { leftFor, refuseLeft } from './undo.ts';
