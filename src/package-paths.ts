/**
 * Where the files of the package lie. This file alone asks where it is itself: in `src/`, or within
 * one of the few files in `dist/` that the build makes of all others. The root is one up from both.
 */

import { basename, extname, join } from 'node:path'

/** The folder with the code that runs. */
export const codeFolder = import.meta.dirname

export const packageFolder = join(codeFolder, '..')

/** The package ships it, so that it is found beside what was built from it too. */
export const sourceFolder = join(packageFolder, 'src')

const extension = extname(import.meta.filename)

/** Whether this is the package as it was built. */
export const isBuilt = extension === '.js'

/**
 * The file to begin a thread or a process with, by its path in the source without the extension.
 * Those which are built lie beside each other: `build.ts` names them.
 */
export function programFile(path: string): string {
  return join(codeFolder, (isBuilt ? basename(path) : path) + extension)
}
