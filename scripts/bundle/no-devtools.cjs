// Stands for `react-devtools-core`, which Ink would load to be watched by a debugger.
exports.connectToDevTools = undefined;
