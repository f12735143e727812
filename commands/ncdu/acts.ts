export { localFile, runProgram } from './local-file.ts';
export { lookAgain, makeDirNode, planUpload, renameNode } from './place-entries.ts';
export { asRun, emptyRun, emptyTrash, listTrash, planUndo, restoreTrash } from './task-run.ts';
export { conflictsOf, refusalAt, transferNodes } from './transfer-nodes.ts';
