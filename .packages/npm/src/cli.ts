#!/usr/bin/env node
// Runs the program for this machine, and ends as it does.

import { spawn } from "node:child_process";
import { program } from "./index.js";

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// It puts everything back before it dies of a signal. Of Ctrl-C, the terminal tells it itself.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`git-llmpatch: ${error.message}`);
  process.exitCode = 3;
});
child.on("close", (status, signal) => {
  if (signal === null) {
    process.exitCode ??= status ?? 3;
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
