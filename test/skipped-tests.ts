/**
 * A test reporter that lists the skipped tests with their reasons. With `FORBID_SKIPS=1` the run
 * fails when a test is skipped for a reason that `test/allowed-skips.json` does not name.
 */

import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

interface SkippedTest {
  readonly file: string
  readonly title: string
  /** The reason that the test gave. */
  readonly skip: string
}

interface AllowedSkip {
  readonly file: string
  readonly skip: string
  /** Why the test need not run. */
  readonly reason: string
}

export default async function* reportSkips(events: AsyncIterable<TestEvent>) {
  const skipped: SkippedTest[] = []
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.skip === undefined || data.skip === false) continue
    const file = relative(process.cwd(), data.file ?? '').replaceAll(sep, '/')
    skipped.push({ file, title: data.name, skip: String(data.skip) })
  }
  if (skipped.length > 0) yield `\nSkipped tests:\n${formatTests(skipped)}`
  const unexpected = findUnexpectedSkips(skipped, readAllowedSkips())
  if (process.env.FORBID_SKIPS !== '1' || unexpected.length === 0) return
  process.exitCode = 1
  yield `\nFAILED: these tests must not be skipped here. Install what they need, or give the reason in test/allowed-skips.json.\n${formatTests(unexpected)}`
}

function formatTests(tests: readonly SkippedTest[]): string {
  return tests.map(({ file, title, skip }) => `  ${file}: ${title}\n    ${skip}\n`).join('')
}

/** Returns the tests that were skipped for a reason that is not allowed in their file. */
export function findUnexpectedSkips(
  skipped: readonly SkippedTest[],
  allowed: readonly AllowedSkip[],
): readonly SkippedTest[] {
  return skipped.filter((test) => !allowed.some(({ file, skip }) => file === test.file && skip === test.skip))
}

function readAllowedSkips(): readonly AllowedSkip[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'allowed-skips.json'), 'utf8'))
}
