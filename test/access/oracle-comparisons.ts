/** Compares responses with what the naive model says, for reads. */

import assert from 'node:assert/strict'
import { type Caller, denied, expected, type Item, judge, outcomes, type Rules } from './naive-rules.ts'
import { derivedOf, emptySet, linkOf, setOf, sizeOf, weightOf } from './oracle-world.ts'
import { uuid } from './rows.ts'

type Ask = (line: string, body?: unknown) => Promise<{ status: number; text: string }>

export async function compare(
  request: Ask,
  path: string,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = () => JSON.stringify({ path, rules, caller, items })
  const listed = await request(`GET ${path}?limit=100`)
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  if (!outcomes(rules.read, caller).has('yes')) assert.equal(listed.status, denied(caller), description())
  else {
    const ids = JSON.parse(listed.text).map(({ id }: { id: string }) => id)
    assert.deepEqual(
      ids,
      visible.map(({ number }) => uuid(number)),
      description(),
    )
  }
  await compareAggregates(request, path, visible, listed.status)
  for (const item of [...items, undefined]) {
    const uri = `${path}/${uuid(item?.number ?? 999)}`
    const shown = await request(`GET ${uri}`)
    assert.equal(shown.status, expected(rules, 'read', caller, item) ?? 200, description())
    if (shown.status === 200 && item) {
      const sees = judge(rules.sight, caller, item) === 'yes'
      assert.equal('secret' in JSON.parse(shown.text), sees, description())
    }
    const patched = await request(`PATCH ${uri}`, { title: `by ${caller.account}` })
    const readable = item && judge(rules.read, caller, item) === 'yes'
    assert.equal(
      patched.status,
      expected(rules, 'update', caller, item) ?? (readable ? 200 : 204),
      description(),
    )
    const secret = await request(`PATCH ${uri}`, { secret: 's' })
    const writes = item && judge(rules.writing, caller, item) === 'yes'
    const outcome = writes ? (readable ? 200 : 204) : 422
    assert.equal(secret.status, expected(rules, 'update', caller, item) ?? outcome, description())
  }
}

/** Aggregates count the visible items, and no other. */
async function compareAggregates(request: Ask, path: string, visible: readonly Item[], status: number) {
  const grouped = await request(
    `GET ${path}/-/aggregate?group-by=status,group&aggregate=count&sort=status,group`,
  )
  assert.equal(grouped.status, status, path)
  if (status !== 200) return
  const groups = Map.groupBy(visible, ({ status, group }) => `${status ?? ''} ${group ?? ''}`)
  const expectedRows = [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, of]) => ({
      ...(of[0]?.status && { status: of[0].status }),
      ...(of[0]?.group && { group: uuid(of[0].group) }),
      count: of.length,
    }))
  assert.deepEqual(JSON.parse(grouped.text), expectedRows, path)
}

/** A sub-collection has the items that the caller may read and whose reference the caller sees. */
export async function compareSubCollections(
  request: Ask,
  at: string,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const readable = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const maySee = mayRead && outcomes(rules.sight, caller).has('yes')
  for (const group of [11, 12, 13, 99]) {
    const description = JSON.stringify({ rules, caller, items, group })
    const list = async (name: string, permitted: boolean, shown: readonly Item[]) => {
      const { status, text: body } = await request(`GET /groups/${uuid(group)}/${name}${at}?limit=100`)
      assert.equal(status, permitted ? (group === 99 ? 404 : 200) : denied(caller), description)
      if (status !== 200) return
      const expected = shown.filter((item) => item.group === group).map(({ number }) => uuid(number))
      const ids = JSON.parse(body).map(({ id }: { id: string }) => id)
      assert.deepEqual(ids, expected, description)
    }
    await list('c', mayRead, readable)
    await list(
      'p',
      maySee,
      readable.filter((item) => judge(rules.sight, caller, item) === 'yes'),
    )
  }
}

/** Paths through a reference and through inverses: an item that the caller may not read counts as absent. */
export async function comparePaths(
  request: Ask,
  at: number,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = JSON.stringify({ at, rules, caller, items })
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const { compareIds, compareEmbedded } = comparisons(request, description)
  const name = `c${at}`
  const links = (some: readonly Item[]) => some.map(({ number }) => linkOf(number))
  const statusOf = (item: Item) => (visible.includes(item) ? (item.status ?? '') : '')
  const ascending = items.toSorted((a, b) =>
    statusOf(a) < statusOf(b) ? -1 : Number(statusOf(a) > statusOf(b)),
  )
  const withStatus = visible.filter(({ status }) => status === 'x')
  const without = items.filter((item) => statusOf(item) === '')
  await compareIds(`links?${name}.status=x`, mayRead, links(withStatus))
  await compareIds(`links?${name}.status[missing]=true`, mayRead, links(without))
  await compareIds(`links?sort=${name}.status`, mayRead, links(ascending))
  await compareEmbedded(
    name,
    'links',
    mayRead,
    items.map((item) => (visible.includes(item) ? [item] : [])),
  )
  const seen = visible.filter((item) => judge(rules.sight, caller, item) === 'yes')
  const maySee = mayRead && outcomes(rules.sight, caller).has('yes')
  for (const [inverse, permitted, reached] of [
    [`c${at}`, mayRead, visible],
    [`p${at}`, maySee, seen],
  ] as const) {
    const groups = [11, 12, 13]
    const within = (group: number) => reached.filter((item) => item.group === group)
    const withX = groups.filter((group) => within(group).some(({ status }) => status === 'x'))
    const empty = groups.filter((group) => within(group).length === 0)
    await compareIds(`groups?${inverse}.status=x`, permitted, withX)
    await compareIds(`groups?${inverse}[missing]=true`, permitted, empty)
    await compareEmbedded(inverse, 'groups', permitted, groups.map(within))
  }
}

/** Derived fields are computed from the items that the caller may read and the values that it sees. */
export async function compareDerived(
  request: Ask,
  at: number,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = JSON.stringify({ at, rules, caller, items })
  const readable = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const seen = readable.filter((item) => judge(rules.sight, caller, item) === 'yes')
  const expected = [11, 12, 13].map((group) => {
    const [all, some] = [readable, seen].map((of) => of.filter((item) => item.group === group))
    const sizes = some?.map(({ number }) => sizeOf(number)) ?? []
    const weights = some?.map(({ number }) => Math.round(Number(weightOf(number)) * 100)) ?? []
    const weight = weights.reduce((sum, one) => sum + one, 0)
    return {
      id: uuid(group),
      [`n${at}`]: all?.length ?? 0,
      [`x${at}`]: all?.filter(({ status }) => status === 'x').length ?? 0,
      [`s${at}`]: all?.reduce((sum, { number }) => sum + sizeOf(number), 0) ?? 0,
      [`w${at}`]: (weight / 100).toFixed(2),
      ...(sizes.length > 0 && { [`m${at}`]: Math.min(...sizes) }),
      ...(weights.length > 0 && { [`v${at}`]: halfEven((weight * 100) / weights.length) }),
    }
  })
  const names = derivedOf(at).map(([name]) => name)
  const list = async (query: string) => {
    const { status, text: body } = await request(`GET /groups?${query}`)
    assert.equal(status, 200, `${query} ${description}`)
    return JSON.parse(body)
  }
  assert.deepEqual(await list(`fields=${names}`), expected, description)
  const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id)
  // Each collection compares another field.
  const name = names[at % names.length] ?? ''
  const derivedValue = (one: (typeof expected)[number]) => one[name as keyof typeof one]
  for (const value of new Set(expected.map(derivedValue))) {
    const query = value === undefined ? `${name}[missing]=true` : `${name}=${value}`
    const equal = expected.filter((one) => derivedValue(one) === value)
    assert.deepEqual(ids(await list(query)), ids(equal), `${query} ${description}`)
  }
  const rank = (one: (typeof expected)[number]) => Number(derivedValue(one) ?? Number.NEGATIVE_INFINITY)
  const ascending = expected.toSorted((a, b) => rank(a) - rank(b) || 0)
  assert.deepEqual(ids(await list(`sort=${name}`)), ids(ascending), `${name} ${description}`)
}

/** An average in ten thousandths as the service shows it. */
function halfEven(value: number): string {
  const floor = Math.floor(value)
  const isUp = value - floor > 0.5 || (value - floor === 0.5 && floor % 2 === 1)
  return ((floor + (isUp ? 1 : 0)) / 10_000).toFixed(4)
}

/** Sets of references: ids are shown and found to everyone, values and members only of items that the caller may read. */
export async function compareSets(
  request: Ask,
  at: number,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = JSON.stringify({ at, rules, caller, items })
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const { compareIds, compareEmbedded } = comparisons(request, description)
  const name = `s${at}`
  const sets = items.map(({ number }, index) => ({
    number: setOf(number),
    members: items.slice(0, index + 1).filter((item) => visible.includes(item)),
  }))
  const numbersWhere = (test: (members: readonly Item[]) => boolean) =>
    [...sets, { number: emptySet, members: [] }]
      .filter(({ members }) => test(members))
      .map((one) => one.number)
  const hasX = (members: readonly Item[]) => members.some(({ status }) => status === 'x')
  const hasNone = (members: readonly Item[]) => members.every(({ status }) => status === undefined)
  const [first] = items
  await compareIds(`sets?${name}.status=x`, mayRead, numbersWhere(hasX))
  await compareIds(`sets?${name}.status[missing]=true`, mayRead, numbersWhere(hasNone))
  await compareIds(`sets?${name}[missing]=true`, true, [emptySet])
  await compareIds(
    `sets?${name}[has]=${uuid(first?.number ?? 0)}`,
    true,
    sets.map(({ number }) => number),
  )
  await compareEmbedded(name, 'sets', mayRead, [...sets.map(({ members }) => members), []])
  for (const item of items) {
    const uri = `/sets/${uuid(emptySet)}/${name}/${uuid(item.number)}`
    const added = await request(`PUT ${uri}`)
    assert.equal(added.status, visible.includes(item) ? 204 : 404, `${uri} ${description}`)
    assert.equal((await request(`DELETE ${uri}`)).status, 204, `${uri} ${description}`)
  }
}

/** Comparisons of lists with the naive model; a query with a path that the caller may not use is 400. */
function comparisons(request: Ask, description: string) {
  const list = async (query: string, permitted: boolean): Promise<readonly ListedItem[]> => {
    const { status, text: body } = await request(`GET /${query}`)
    assert.equal(status, permitted ? 200 : 400, `${query} ${description}`)
    return permitted ? JSON.parse(body) : []
  }
  return {
    async compareIds(query: string, permitted: boolean, numbers: readonly number[]) {
      const found = (await list(query, permitted)).map(({ id }) => id)
      assert.deepEqual(found, permitted ? numbers.map(uuid) : [], `${query} ${description}`)
    },
    async compareEmbedded(
      name: string,
      query: string,
      permitted: boolean,
      several: readonly (readonly Item[])[],
    ) {
      const found = await list(`${query}?embed=${name}`, permitted)
      const embedded = found.map(({ _embedded }) => [_embedded?.[name] ?? []].flat().map(({ id }) => id))
      const expected = permitted ? several.map((some) => some.map(({ number }) => uuid(number))) : []
      assert.deepEqual(embedded, expected, `${query}?embed=${name} ${description}`)
    },
  }
}

interface ListedItem {
  readonly id: string
  readonly _embedded?: Readonly<Record<string, ListedItem | readonly ListedItem[]>>
}
