/**
 * Random rules against a naive model of them, written from the contract alone: the same records
 * visible, the same statuses, for every caller and every method.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { cases } from '../cases.ts'
import { handleDirectly } from './direct.ts'
import { callers, denied, expected, type Item, judge, none, type Rules } from './naive-rules.ts'
import {
  compare,
  compareDerived,
  comparePaths,
  compareSets,
  compareSubCollections,
} from './oracle-comparisons.ts'
import { definitionOf, type World, worldOf } from './oracle-world.ts'
import { caseArbitrary, collections, joinedArbitrary } from './random-rules.ts'
import { uuid } from './rows.ts'

const runs = cases(200, 100)

test(`${runs * collections} random sets of rules decide as a naive model of them does`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const property = fc.asyncProperty(caseArbitrary, async ({ rules, items }) => {
    const model = checkDefinition(definitionOf(rules))
    const numbered = items.map((item, at): Item => ({ ...item, number: 100 + at }))
    await using world = await worldOf(model, numbered)
    for (const [at, one] of rules.entries()) {
      for (const [index, caller] of callers.entries()) {
        const ask = (line: string, body?: unknown) =>
          handleDirectly(world.service, { line, fields: world.fields[index] ?? {}, body })
        await compare(ask, `/c${at}`, one, caller, numbered)
        await compareSubCollections(ask, `${at}`, one, caller, numbered)
        await comparePaths(ask, at, one, caller, numbered)
        await compareDerived(ask, at, one, caller, numbered)
        await compareSets(ask, at, one, caller, numbered)
      }
      await compareRemoval(world, `/c${at}`, one, numbered)
      await compareCreation(world, `/c${at}`, one)
    }
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
})

const joinRuns = runs * 3

test(`${joinRuns * collections} random rules that join records show the items that a naive model shows`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  let shown = 0
  let hidden = 0
  const property = fc.asyncProperty(joinedArbitrary, async ({ rules, items, records }) => {
    const numbered = items.map((item, at): Item => ({ ...item, number: 100 + at }))
    await using world = await worldOf(checkDefinition(definitionOf(rules)), numbered, records)
    for (const [at, { read }] of rules.entries()) {
      for (const [index, caller] of callers.entries()) {
        const ask = (line: string) =>
          handleDirectly(world.service, { line, fields: world.fields[index] ?? {} })
        const visible = numbered.filter((item) => judge(read, caller, item, records) === 'yes')
        const description = JSON.stringify({ read, caller, numbered, records })
        const listed = await ask(`GET /c${at}`)
        const ids = listed.status === 200 ? JSON.parse(listed.text).map(({ id }: { id: string }) => id) : []
        assert.deepEqual(ids.sort(), visible.map(({ number }) => uuid(number)).sort(), description)
        for (const item of numbered) {
          const { status } = await ask(`GET /c${at}/${uuid(item.number)}`)
          assert.equal(status === 200, visible.includes(item), description)
        }
        shown += visible.length
        hidden += numbered.length - visible.length
      }
    }
  })
  await fc.assert(property, { numRuns: joinRuns, seed, endOnFailure: true })
  assert.ok(shown > joinRuns && hidden > joinRuns, `${shown} are shown, ${hidden} hidden`)
})

/** A create rule is evaluated for the item that would be created. */
async function compareCreation(world: World, path: string, rules: Rules) {
  for (const [index, caller] of callers.entries()) {
    for (const values of [{}, { status: 'x', flag: true, group: 11 }, { status: 'y', group: 12 }]) {
      const { group, ...plain } = values as { group?: number }
      const body = { title: 'new', ...plain, ...(group ? { group: uuid(group) } : {}) }
      const fields = world.fields[index] ?? {}
      const created = await handleDirectly(world.service, { line: `POST ${path}`, fields, body })
      const item = { ...none, author: caller.account, ...values } as Item
      const allowed = judge(rules.create, caller, item) === 'yes'
      const description = JSON.stringify({ path, rules, caller, body })
      assert.equal(created.status, allowed ? 201 : denied(caller), description)
      const sees = allowed && judge(rules.read, caller, item) === 'yes'
      if (allowed) assert.equal(created.text !== '', sees, description)
    }
    const post = (name: string) =>
      handleDirectly(world.service, {
        line: `POST /groups/${uuid(11)}/${name}`,
        fields: world.fields[index] ?? {},
        body: { title: 'new' },
      })
    const item: Item = { ...none, author: caller.account }
    const grouped = judge(rules.create, caller, { ...item, group: 11 }) === 'yes'
    const placed = judge(rules.create, caller, item) === 'yes' && judge(rules.writing, caller, item) === 'yes'
    const description = JSON.stringify({ path, rules, caller })
    assert.equal((await post(path.slice(1))).status, grouped ? 201 : denied(caller), description)
    assert.equal(
      (await post(path.slice(1).replace('c', 'p'))).status,
      placed ? 201 : denied(caller),
      description,
    )
  }
}

/** Each item is deleted by the first caller who may delete it. */
async function compareRemoval(world: World, path: string, rules: Rules, items: readonly Item[]) {
  for (const item of items) {
    let current: Item | undefined = item
    for (const [index, caller] of callers.entries()) {
      const line = `DELETE ${path}/${uuid(item.number)}`
      const { status } = await handleDirectly(world.service, {
        line,
        fields: world.fields[index] ?? {},
      })
      const description = JSON.stringify({ path, rules, caller, item })
      assert.equal(status, expected(rules, 'delete', caller, current) ?? 204, description)
      if (status === 204) current = undefined
    }
  }
}
