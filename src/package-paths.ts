/**
 * The paths of the package, when it runs from `src/` and when it runs from the bundles in `dist/`.
 * No other module uses its own location.
 */

import { basename, extname, join } from 'node:path'

/** The folder with the code that runs. */
export const codeFolder = import.meta.dirname

export const packageFolder = join(codeFolder, '..')

/** The package contains the sources too. */
export const sourceFolder = join(packageFolder, 'src')

const extension = extname(import.meta.filename)

/** Whether the code runs from `dist/`. */
export const isBuilt = extension === '.js'

/**
 * The entry file of a thread or process, by its path in `src/` without the extension. In `dist/` all
 * entry files are in one folder (build.ts).
 */
export function programFile(path: string): string {
  return join(codeFolder, (isBuilt ? basename(path) : path) + extension)
}
