/** The package as tests start it: from the sources, or from the bundles that test/run.ts makes. */

import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const isBuilt = process.env.TEST_PACKAGE === 'built'

/** The arguments of `node` for a program that imports the package. */
export const packageFlags: readonly string[] = isBuilt ? [] : ['--conditions=source']

/** The arguments of `node` that start the command; those of the command follow. */
export const restwellProgram: readonly string[] = [
  ...packageFlags,
  join(root, isBuilt ? 'bin/restwell.js' : 'src/cli.ts'),
]
