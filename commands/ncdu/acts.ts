export { localFile } from './local-file.ts';
export { lookAgain, makeDirNode, renameNode } from './place-entries.ts';
export { planUpload } from './plan-upload.ts';
export { runProgram } from './run-program.ts';
export { asRun, emptyRun, emptyTrash, listTrash, planUndo, restoreTrash } from './task-run.ts';
export { conflictsOf, refusalAt, transferNodes } from './transfer-nodes.ts';
