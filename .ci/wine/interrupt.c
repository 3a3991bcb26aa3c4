// Runs a program in a console of its own, sends Ctrl-C there as soon as there is a file, and says how the program ended:
//
//   interrupt PROGRAM FILE ARGUMENTS...
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(int count, char **arguments) {
  if (count < 3) return 1;
  STARTUPINFOA start = {
      .cb = sizeof start,
      .dwFlags = STARTF_USESTDHANDLES,
      .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
      .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
      .hStdError = GetStdHandle(STD_ERROR_HANDLE),
  };
  FreeConsole();
  if (!AllocConsole()) return 1;
  char line[32768] = "";
  for (int nth = 1; nth < count; nth++) {
    if (nth == 2) continue;
    if (strlen(line) + strlen(arguments[nth]) + 4 > sizeof line) return 1;
    strcat(strcat(strcat(line, "\""), arguments[nth]), "\" ");
  }
  PROCESS_INFORMATION made;
  if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made)) return 1;
  // Later than that, lest it be inherited.
  SetConsoleCtrlHandler(NULL, TRUE);
  while (GetFileAttributesA(arguments[2]) == INVALID_FILE_ATTRIBUTES && WaitForSingleObject(made.hProcess, 1) == WAIT_TIMEOUT) {}
  GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
  WaitForSingleObject(made.hProcess, INFINITE);
  DWORD status;
  GetExitCodeProcess(made.hProcess, &status);
  printf("ended with %08lx\n", status);
  return 0;
}
