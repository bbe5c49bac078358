/** `restwell audit` and `restwell erase`, run as an operator runs them. */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { outcomeOf } from '../../commands/command.ts'

test('audit verify prints a head that a later run finds; erase leaves the chain intact', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-audit-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const place = ['--service', 'examples/shop.ts', '--database', `file:${join(folder, 'shop.db')}`]
  const run = (...words: readonly string[]) => outcomeOf([...words, ...place])
  const added = await run('user', 'add', 'ada@example.org', '--field', 'name=Ada')
  assert.equal(added.code, 0, added.stderr)
  const verified = await run('audit', 'verify')
  assert.match(verified.stdout, /^\d+ entr(?:y|ies) verified\./)
  const [, head = ''] = verified.stdout.trim().split('\n')
  const file = new DatabaseSync(join(folder, 'shop.db'), { readOnly: true })
  const row = file.prepare('select "id" from "_changes" where "table" = \'users\'').get()
  file.close()
  const erased = await run('erase', `users/${row?.id}`)
  assert.match(erased.stdout, /^The logged values of users\/\S+ were removed\. The item itself remains\./)
  assert.match((await run('erase', 'users/nothing')).stderr, /There is no item 'nothing' in users/)
  const again = await run('audit', 'verify', '--head', head)
  assert.equal(again.code, 0, again.stderr)
  // A head may begin with a hyphen.
  for (const other of [`-${'x'.repeat(42)}`, `--${'x'.repeat(41)}`]) {
    const lost = await run('audit', 'verify', '--head', other)
    assert.deepEqual([lost.code, /entries at its end were removed/.test(lost.stderr)], [1, true], lost.stderr)
  }
  assert.match((await run('audit', 'verify', '--head', 'x')).stderr, /no head of an audit/)
  assert.equal((await run('erase', 'nothing/1')).code, 1)
})
