/** Checks the types of a project beside its service, with the TypeScript that the project has. */

import { type ChildProcess, execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

export interface TypeChecker {
  /** Begins a check, instead of one that has not ended. Prints the errors, and once that there are none any more. */
  check(): void
  stop(): void
}

/** Undefined where the folder of the definition has no tsconfig.json, or the project no TypeScript. */
export function createTypeChecker(file: string, print: (text: string) => void): TypeChecker | undefined {
  const folder = dirname(resolve(file))
  const compiler = findCompiler(folder)
  if (compiler === undefined || !existsSync(join(folder, 'tsconfig.json'))) return undefined
  let running: ChildProcess | undefined
  let hadErrors = false
  const stop = () => {
    running?.kill()
    running = undefined
  }
  return {
    check() {
      stop()
      const args = [compiler, '--noEmit', '--pretty', 'false']
      const own = execFile(process.execPath, args, { cwd: folder }, (error, output) => {
        if (running !== own) return
        running = undefined
        const errors = error ? output.trim() : ''
        if (errors !== '') print(`Types:\n${errors.replaceAll(/^/gm, '  ')}\n`)
        else if (hadErrors) print('Types: no errors any more.\n')
        hadErrors = errors !== ''
      })
      running = own
    },
    stop,
  }
}

/** The file of the compiler; undefined where the package is not installed. */
function findCompiler(folder: string): string | undefined {
  const require = createRequire(join(folder, 'package.json'))
  const found = require.resolve.paths('typescript') ?? []
  return found.map((path) => join(path, 'typescript/bin/tsc')).find((path) => existsSync(path))
}
