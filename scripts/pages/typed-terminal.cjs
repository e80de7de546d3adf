// Loaded before edgewise where a page says what is typed: stdin counts as a terminal, and shows what is typed.
const { syncBuiltinESMExports } = require("node:module");
const readline = require("node:readline");
const tty = require("node:tty");

const isatty = tty.isatty;
tty.isatty = (descriptor) => descriptor === 0 || isatty(descriptor);
const createInterface = readline.createInterface;
readline.createInterface = (options) => {
  const lines = createInterface(options);
  const question = lines.question.bind(lines);
  lines.question = (text, answered) =>
    question(text, (answer) => {
      process.stderr.write(`${answer}\n`);
      answered(answer);
    });
  return lines;
};
syncBuiltinESMExports();
