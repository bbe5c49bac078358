/** Frameworks that are no dependencies: `npm run frameworks` installs them, or FRAMEWORKS names their folder. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
export const frameworksFolder =
  process.env.FRAMEWORKS ?? join(root, 'node_modules/.cache/restwell-frameworks')

/** Returns why the framework cannot be tested; false when it is installed. */
export function whyNoFramework(name: string): string | false {
  return (
    !existsSync(join(frameworksFolder, 'node_modules', name)) &&
    `${name} is not installed: npm run frameworks`
  )
}
