/** Aggregates of lists (docs/reference/http/lists.md, "Aggregates"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Handled, type Handling, handling } from '../handling.ts'
import { openTimesheet, type Timesheet, timesheet } from './timesheet.ts'

let opened: Timesheet
before(async () => {
  opened = await openTimesheet()
})
after(() => opened[Symbol.asyncDispose]())
const get: Timesheet['get'] = (...given) => opened.get(...given)
const rows: Timesheet['rows'] = (query) => opened.rows(query)

describe('groups', () => {
  it('a reference groups by id; rows without a value form a group without that member', async () => {
    const [alpha, beta] = opened.projects
    assert.deepEqual(await rows('group-by=project&aggregate=count,hours.sum'), [
      { count: 1, 'hours.sum': '-4.00' },
      { project: alpha, count: 2, 'hours.sum': '3.75' },
      { project: beta, count: 2, 'hours.sum': '0.01' },
    ])
  })

  it('a reference to a resource with a key groups by that key', async () => {
    assert.deepEqual(await rows('group-by=room&aggregate=count'), [{ count: 4 }, { room: 'R 1', count: 1 }])
  })

  it('times have year, month and day in UTC', async () => {
    assert.deepEqual(await rows('group-by=day.year&aggregate=count'), [
      { count: 2 },
      { 'day.year': '2025', count: 1 },
      { 'day.year': '2026', count: 2 },
    ])
    assert.deepEqual(await rows('group-by=day.month&aggregate=count&day[gte]=2026-01-01'), [
      { 'day.month': '2026-01', count: 1 },
      { 'day.month': '2026-02', count: 1 },
    ])
    const today = new Date().toISOString().slice(0, 8)
    const [created] = await rows('group-by=createdAt.day&aggregate=count')
    assert.match(String(created?.['createdAt.day']), new RegExp(`^${today.slice(0, 4)}-\\d\\d-\\d\\d$`))
  })

  it('several groups, of choices and booleans', async () => {
    assert.deepEqual(await rows('group-by=status,billed&aggregate=count'), [
      { status: 'done', billed: true, count: 1 },
      { status: 'open', billed: false, count: 4 },
    ])
  })

  it('without group-by there is one row, also where no item matches', async () => {
    const query = 'aggregate=count,hours.sum,hours.avg,hours.min,hours.max,weight.sum,steps.sum,day.max'
    assert.deepEqual(await rows(`${query}&note=nothing`), [
      { count: 0, 'hours.sum': '0.00', 'weight.sum': 0, 'steps.sum': 0 },
    ])
    assert.deepEqual(await rows('group-by=status&aggregate=count&note=nothing'), [])
  })
})

describe('aggregates', () => {
  it('sum, avg, min and max leave out missing values', async () => {
    assert.deepEqual(await rows('aggregate=steps.sum,steps.avg,steps.min,steps.max'), [
      { 'steps.sum': -2, 'steps.avg': -0.6666666666666666, 'steps.min': -9, 'steps.max': 4 },
    ])
  })

  it('the average of a decimal has its scale plus 2, rounded half to even', async () => {
    const [alpha] = opened.projects
    assert.deepEqual(await rows(`aggregate=hours.avg&project=${alpha}`), [{ 'hours.avg': '1.8750' }])
    assert.deepEqual(await rows('aggregate=hours.avg,hours.min,hours.max'), [
      { 'hours.avg': '-0.0600', 'hours.min': '-4.00', 'hours.max': '2.25' },
    ])
  })

  it('min and max of times', async () => {
    assert.deepEqual(await rows('aggregate=day.min,day.max'), [
      { 'day.min': '2025-02-01', 'day.max': '2026-02-01' },
    ])
  })

  it('numbers are added as the decimals that JSON shows, in any order', async () => {
    assert.deepEqual(await rows('aggregate=weight.sum,weight.avg&weight[lt]=1'), [
      { 'weight.sum': 0.3, 'weight.avg': 0.15 },
    ])
    assert.deepEqual(await rows('aggregate=weight.sum'), [{ 'weight.sum': 1e300 }])
  })
})

describe('filters, search and order', () => {
  it('filters and q apply; QUERY as GET', async () => {
    assert.deepEqual(await rows('aggregate=count&q=words'), [{ count: 2 }])
    assert.deepEqual(await rows('group-by=status&aggregate=count&steps[gte]=4'), [
      { status: 'done', count: 1 },
    ])
    assert.deepEqual(await rows('aggregate=count&project.name=Alpha'), [{ count: 2 }])
    const content = { any: [{ steps: 3 }, { steps: 4 }] }
    const { json, status } = await opened.sheet.handle(
      'QUERY /entries/-/aggregate?aggregate=hours.sum',
      {},
      content,
    )
    assert.deepEqual([status, json], [200, [{ 'hours.sum': '3.75' }]])
    const flat = await opened.sheet.handle('QUERY /entries/-/aggregate?aggregate=hours.sum', {}, { steps: 3 })
    const same = await opened.sheet.handle('GET /entries/-/aggregate?aggregate=hours.sum&steps=3')
    assert.equal(same.text, flat.text)
  })

  it('sort names a group or an aggregate; missing values are first ascending', async () => {
    const sums = async (sort: string) =>
      (
        (await rows(`group-by=day.year&aggregate=hours.sum,steps.max&sort=${sort}`)) as Record<
          string,
          unknown
        >[]
      ).map((row) => row['day.year'] ?? 'none')
    assert.deepEqual(await sums('day.year'), ['none', '2025', '2026'])
    assert.deepEqual(await sums('-day.year'), ['2026', '2025', 'none'])
    assert.deepEqual(await sums('hours.sum'), ['none', '2025', '2026'])
    assert.deepEqual(await sums('-hours.sum'), ['2026', '2025', 'none'])
    assert.deepEqual(await sums('steps.max'), ['2025', 'none', '2026'])
    assert.deepEqual(await sums('-steps.max,day.year'), ['2026', 'none', '2025'])
  })
})

const refused: readonly (readonly [query: string, type: string, detail: RegExp])[] = [
  [
    'group-by=projct&aggregate=count',
    'unknown-parameter',
    /Unknown field 'projct'\. Did you mean 'project'\?/,
  ],
  ['group-by=day.moth&aggregate=count', 'unknown-parameter', /'day\.moth'\. Did you mean 'day\.month'\?/],
  ['group-by=note.month&aggregate=count', 'unknown-parameter', /Only times have parts/],
  ['group-by=tags&aggregate=count', 'invalid-parameter', /'tags', which cannot be grouped by/],
  ['group-by=code&aggregate=count', 'invalid-parameter', /'code', which cannot be grouped by/],
  ['group-by=project.name&aggregate=count', 'unknown-parameter', /Unknown group 'project\.name'/],
  ['group-by=status', 'invalid-parameter', /'aggregate' is missing\. .* add aggregate=count\./],
  ['', 'invalid-parameter', /'aggregate' is missing/],
  ['group-by=&aggregate=count', 'invalid-parameter', /'group-by' has an empty name/],
  ['group-by=status,status&aggregate=count', 'invalid-parameter', /'group-by' repeats a name/],
  ['group-by=project,room,hours,steps,day,note&aggregate=count', 'invalid-parameter', /more than 5 names/],
  ['aggregate=cont', 'unknown-parameter', /Unknown aggregate 'cont'\. Did you mean 'count'\?/],
  ['aggregate=hour.sum', 'unknown-parameter', /Did you mean 'hours\.sum'\?/],
  ['aggregate=hours', 'unknown-parameter', /Expected: hours\.sum, hours\.avg, hours\.min, hours\.max\./],
  ['aggregate=note.sum', 'unknown-parameter', /Numbers have 'sum', 'avg', 'min' and 'max'/],
  ['aggregate=day.avg', 'unknown-parameter', /Expected: day\.min, day\.max\.|Did you mean 'day\.max'/],
  ['aggregate=', 'invalid-parameter', /'aggregate' has an empty name/],
  ['aggregate=count&aggregate=count', 'invalid-parameter', /'aggregate' is repeated/],
  [
    'aggregate=count&sort=status',
    'unknown-parameter',
    /'status' is neither in 'group-by' nor in 'aggregate'/,
  ],
  ['aggregate=count&sort=coun', 'unknown-parameter', /Did you mean 'count'\?/],
  ['aggregate=count&sort=count,-count', 'invalid-parameter', /'sort' repeats a name/],
  [
    'aggregate=count&limit=1',
    'invalid-parameter',
    /'limit' has no meaning for groups.* All groups are in one response/,
  ],
  ['aggregate=count&after=x', 'invalid-parameter', /'after' has no meaning for groups/],
  ['aggregate=count&before=x', 'invalid-parameter', /'before' has no meaning for groups/],
  ['aggregate=count&fields=note', 'invalid-parameter', /'fields' has no meaning for groups/],
  ['aggregate=count&embed=project', 'invalid-parameter', /'embed' has no meaning for groups/],
]

describe('an invalid aggregation is 400 and is named', () => {
  for (const [query, type, detail] of refused) {
    it(query, async () => {
      const { status, json } = await get(query)
      assert.equal(status, 400, JSON.stringify(json))
      assert.equal(json.type, `/problems/${type}`)
      assert.match(json.detail, detail)
    })
  }

  it('a field that the caller does not see on every item is refused like an unknown one', async () => {
    for (const name of [
      'group-by=FIELD&aggregate=count',
      'aggregate=FIELD.sum',
      'aggregate=count&sort=FIELD',
    ]) {
      const [hidden, absent] = await Promise.all([
        get(name.replace('FIELD', 'secret')),
        get(name.replace('FIELD', 'secrex')),
      ])
      const normal = ({ json }: Handled) => ({
        ...json,
        instance: '',
        detail: json.detail.replace(/secre[tx]/, ''),
      })
      assert.equal(hidden.status, 400)
      assert.deepEqual(normal(hidden), normal(absent))
    }
  })
})

describe('limits', () => {
  let many: Handling
  const most = { steps: Number.MAX_SAFE_INTEGER, hours: '9999999999999999.99', weight: 1.7e308 }
  const fill = async (count: number, values: object) => {
    const { json } = await many.handle('GET /entries/-/aggregate?aggregate=count')
    const notes = Array.from({ length: count }, (_, at) => ({ note: `n${json[0].count + at}`, ...values }))
    assert.equal((await many.handle('POST /entries', {}, notes)).status, 201)
  }
  before(async () => {
    many = await handling(timesheet)
  })
  after(() => many[Symbol.asyncDispose]())

  it('1,000 groups are shown, 1,001 are 400 with advice to filter', async () => {
    await fill(1000, most)
    const { status, json } = await many.handle('GET /entries/-/aggregate?group-by=note&aggregate=count')
    assert.deepEqual([status, json.length], [200, 1000])
    await fill(1, { ...most, status: 'done' })
    const over = await many.handle('GET /entries/-/aggregate?group-by=note&aggregate=count')
    assert.equal(over.status, 400)
    assert.match(over.json.detail, /makes more than 1000 groups\. Filter the items/)
    const filtered = await many.handle('GET /entries/-/aggregate?group-by=note&aggregate=count&status=open')
    assert.equal(filtered.json.length, 1000)
  })

  it('20 aggregates are allowed, 21 are 400', async () => {
    const names = ['hours', 'weight', 'steps', 'rate'].flatMap((field) =>
      ['sum', 'avg', 'min', 'max'].map((operation) => `${field}.${operation}`),
    )
    const twentyOne = ['count', ...names, 'day.min', 'day.max', 'createdAt.min', 'createdAt.max']
    assert.equal(twentyOne.length, 21)
    assert.equal((await get(`aggregate=${twentyOne.slice(1).join()}`)).status, 200)
    assert.match((await get(`aggregate=${twentyOne.join()}`)).json.detail, /more than 20 names/)
  })

  it('groups with too much text for one response are 400', async () => {
    await using small = await handling(timesheet, { limits: { page: 1000 } })
    const notes = Array.from({ length: 6 }, (_, at) => ({ note: `${at}`.repeat(190), steps: at }))
    await small.handle('POST /entries', {}, notes)
    assert.equal(
      (await small.handle('GET /entries/-/aggregate?group-by=note&aggregate=count&steps[lt]=4')).status,
      200,
    )
    const over = await small.handle('GET /entries/-/aggregate?group-by=note&aggregate=count')
    assert.equal(over.status, 400)
    assert.match(over.json.detail, /too much text for one response/)
  })

  it('a sum of integers beyond 2^53 − 1 is 400; a decimal sum may exceed 18 digits', async () => {
    const one = await many.handle(
      'GET /entries/-/aggregate?aggregate=steps.sum,hours.sum,weight.sum&status=done',
    )
    assert.deepEqual(one.json, [
      {
        'steps.sum': Number.MAX_SAFE_INTEGER,
        'hours.sum': '9999999999999999.99',
        'weight.sum': 1.7e308,
      },
    ])
    // Beyond 2^63 too, where a sum in SQLite overflows.
    await fill(99, most)
    const over = await many.handle('GET /entries/-/aggregate?aggregate=steps.sum')
    assert.equal(over.status, 400)
    assert.match(over.json.detail, /'steps\.sum', whose value exceeds ±\(2\^53 − 1\)/)
    assert.match(
      (await many.handle('GET /entries/-/aggregate?aggregate=weight.sum')).json.detail,
      /range of binary64/,
    )
    const all = await many.handle(
      'GET /entries/-/aggregate?aggregate=hours.sum,steps.avg,hours.avg,weight.avg',
    )
    assert.deepEqual(all.json, [
      {
        'hours.sum': '10999999999999999989.00',
        'steps.avg': Number.MAX_SAFE_INTEGER,
        'hours.avg': '9999999999999999.9900',
        'weight.avg': 1.7e308,
      },
    ])
  })
})
