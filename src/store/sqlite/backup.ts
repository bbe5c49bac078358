/** A copy of a file as it is, beside it, before something is taken out of it. */

import { Connection } from './connection.ts'

/** Gives the name of the copy, which has everything that was committed. */
export function backUp(file: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const copy = `${file}.before-${stamp}`
  const connection = new Connection({ file, use: 'evolve', temporary: false })
  try {
    connection.database.prepare('vacuum into ?').run(copy)
  } finally {
    connection.close()
  }
  return copy
}
