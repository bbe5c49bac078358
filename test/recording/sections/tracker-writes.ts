/** Work with the tracker: states, actions, hooks, checks, sets, bulk, the older version, history, webhooks. */

import { formOf } from '../../html/submitted-form.ts'
import { openTracker } from '../worlds.ts'
import type { Section } from './sections.ts'

export const trackerWrites: Section = {
  name: 'tracker-writes',
  open: openTracker,
  onPostgres: true,
  async play(p) {
    const [rocket, bridge, engine, hull, urgent, design] = [
      p.id('projects'),
      p.id('projects', 1),
      p.id('tasks'),
      p.id('tasks', 1),
      p.id('labels'),
      p.id('labels', 1),
    ]
    const [vera, max, mona, olga] = [0, 1, 2, 3].map((place) => p.id('memberships', place)) as [
      string,
      string,
      string,
      string,
    ]
    for (const as of [undefined, 'viewer', 'member', 'manager', 'other', 'admin']) {
      const caller = as ? { as } : {}
      await p.send('POST /tasks', caller, { title: `By ${as}`, project: rocket })
      await p.send(`PATCH /tasks/${engine}`, caller, { description: `*Changed* by ${as}` })
      await p.send(`POST /tasks/${engine}/assign`, caller, { person: max })
      await p.send(`PUT /tasks/${engine}/labels/${urgent}`, caller)
      await p.send('POST /projects', caller, { name: `By ${as}`, organisation: 'acme' })
      await p.send('POST /organisations', caller, { slug: `by-${as}`, name: 'New' })
      await p.send(`DELETE /comments/${p.id('comments')}`, caller)
    }
    const member = { as: 'member' }
    for (const body of [
      { title: 'No project' },
      { title: 'Foreign', project: bridge },
      { title: 'Numbered', project: rocket, number: 9 },
      { title: 'Dates', project: rocket, start: '2027-02-02', due: '2027-02-01' },
      { title: 'Dates', project: rocket, start: '2027-02-30' },
      { title: 'Labels', project: rocket, labels: [urgent, urgent] },
      { title: 'Labels', project: rocket, labels: [design, 'x'] },
      { title: 'Labels', project: rocket, labels: [urgent] },
      { title: 'Assignee', project: rocket, assignee: olga },
      { title: 'Hours', project: rocket, hours: '1.00' },
      { title: 'State', project: rocket, status: 'done' },
      { title: '', project: rocket, description: 1 },
    ]) {
      await p.send('POST /tasks', member, body)
    }
    await p.send(`POST /projects/${rocket}/tasks`, member, { title: 'In the project' })
    await p.send(`POST /projects/${rocket}/tasks`, member, { title: 'In another', project: bridge })
    await p.send(`POST /projects/${bridge}/tasks`, member, { title: 'Hidden project' })
    for (const body of [
      { status: 'done' },
      { status: 'in review' },
      { status: 'done' },
      { status: 'open' },
      { project: bridge },
      { number: 2 },
      { assignee: null },
      { due: '2026-01-01' },
    ]) {
      await p.send(`PATCH /tasks/${engine}`, member, body)
    }
    await p.send(`PATCH /tasks/${hull}`, { as: 'manager' }, { status: 'done' })
    const tag = (await p.send(`GET /tasks/${engine}`, member)).fields.etag!
    await p.send(`POST /tasks/${engine}/assign`, { as: 'manager', 'if-match': tag }, { person: mona })
    await p.send(`POST /tasks/${engine}/assign`, { as: 'manager', 'if-match': tag }, { person: vera })
    for (const body of [
      { person: olga },
      { person: 'x' },
      {},
      { person: max, nothing: 1 },
      { person: vera },
    ]) {
      await p.send(`POST /tasks/${engine}/assign`, { as: 'manager' }, body)
    }
    await p.send(`POST /tasks/${engine}/assign?dry-run=true`, { as: 'manager' }, { person: max })
    for (const format of ['xml', 'html', 'hal-forms'])
      await p.send(`POST /tasks/${engine}/assign?format=${format}`, { as: 'manager' }, { person: max })
    for (const key of ['"once"', '"once"'])
      await p.send(
        `POST /tasks/${engine}/assign`,
        { as: 'manager', 'idempotency-key': key },
        { person: mona },
      )
    for (const path of [
      `/tasks/${engine}/assign`,
      `/tasks/${engine}/labels/${urgent}`,
      `/tasks/${engine}/labels/${design}`,
      `/tasks/${engine}/labels/x`,
      `/tasks/${engine}/nothing/x`,
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE', 'DELETE', 'OPTIONS'])
        await p.send(`${method} ${path}`, member)
    }
    for (const patch of [
      [{ op: 'add', path: '/labels/-', value: urgent }],
      [{ op: 'remove', path: '/labels/0' }],
      [
        { op: 'test', path: '/labels', value: [urgent] },
        { op: 'remove', path: '/labels/0' },
      ],
    ]) {
      await p.send(
        `PATCH /tasks/${engine}`,
        { ...member, 'content-type': 'application/json-patch+json' },
        JSON.stringify(patch),
      )
    }
    await p.send(`PATCH /projects/${rocket}`, { as: 'manager' }, { archived: true })
    await p.send(`PATCH /projects/${rocket}`, { as: 'manager' }, { budget: '1.50' })
    await p.send(`PUT /projects/${rocket}`, { as: 'manager' }, { name: 'Rocket II', organisation: 'acme' })
    await p.send(`DELETE /labels/${urgent}`, { as: 'manager' })
    await p.send(`PATCH /organisations/acme`, { as: 'manager' }, { slug: 'acme-2' })
    for (const line of [
      'GET /organisations/acme',
      'GET /organisations/acme/projects?limit=1',
      'POST /organisations/acme/projects',
      'GET /organisations/acme-2',
    ])
      await p.send(line, { as: 'manager' })
    await p.send('PATCH /organisations/acme-2', { as: 'manager' }, { slug: 'bolt' })

    const entry = { day: '2026-11-04', hours: '1.25', task: engine }
    const bulk: readonly (readonly [string, string])[] = [
      ['application/json', JSON.stringify([entry, { ...entry, hours: '2.00' }])],
      ['application/json', JSON.stringify([entry, { ...entry, hours: '25.00' }, { day: 'x' }])],
      ['application/json', '[]'],
      ['application/x-ndjson', `${JSON.stringify(entry)}\n${JSON.stringify(entry)}\n`],
      ['application/x-ndjson', `${JSON.stringify(entry)}\n{`],
      [
        'text/csv',
        `day,hours,task,note\r\n2026-11-05,0.50,${engine},"=1+1"\r\n2026-11-05,0.75,${engine},\r\n`,
      ],
      ['text/csv', `day,hours,task\r\n2026-11-05,0.5,${engine}\r\nx,1,2,3\r\n`],
      ['text/csv', 'day,nothing\r\n'],
      [
        'application/xml',
        `<entries><item><day>2026-11-06</day><hours>1.00</hours><task>${engine}</task></item><item><day>2026-11-06</day><hours>2.00</hours><task>${engine}</task></item></entries>`,
      ],
    ]
    for (const [type, content] of bulk) {
      await p.send('POST /entries', { ...member, 'content-type': type }, content)
      await p.send('POST /entries?dry-run=true', { ...member, 'content-type': type }, content)
    }
    await p.send('POST /entries', { ...member, prefer: 'return=minimal' }, [entry])
    await p.send('GET /entries?format=csv', member)
    const form = formOf(
      (await p.send('GET /forms/entries?_import=file', { ...member, accept: 'text/html' })).text,
      /_import/,
    )
    for (const [file, content] of [
      ['rows.csv', `day,hours,task\r\n2026-11-07,1.00,${engine}\r\n`],
      ['rows.csv', `day,hours,task\r\nx,30,${engine}\r\n`],
      ['rows.txt', 'day'],
    ] as const) {
      const parts = [
        ...form.pairs
          .filter(([name]) => name !== 'file')
          .map(
            ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
          ),
        `--b\r\nContent-Disposition: form-data; name="file"; filename="${file}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--b--\r\n`,
      ]
      await p.send(
        `POST ${form.action}`,
        { ...member, accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' },
        parts.join(''),
      )
    }

    const old = { ...member, 'content-type': 'application/x.tracker.v1+json' }
    const made = await p.send(
      'POST /tasks',
      old,
      JSON.stringify({ title: 'Old', project: rocket, deadline: '2027-05-05' }),
    )
    await p.send('POST /tasks', old, JSON.stringify({ title: 'Old', project: rocket, due: '2027-05-05' }))
    await p.send('POST /tasks', old, JSON.stringify({ title: 'Old', project: rocket, deadline: 'x' }))
    const uri = String(made.fields.location).replace(/\?.*/, '')
    await p.send(`PATCH ${uri}?api-version=v1`, member, { deadline: '2027-06-06' })
    await p.send(
      `PATCH ${uri}?api-version=v1`,
      { ...member, 'content-type': 'application/json-patch+json' },
      '[{"op":"remove","path":"/deadline"}]',
    )
    await p.send(`PUT ${uri}?api-version=v1`, member, {
      title: 'Put old',
      project: rocket,
      deadline: '2027-07-07',
    })
    await p.send(`GET ${uri}`, member)
    await p.send('POST /batch?api-version=v1', member, {
      requests: [{ method: 'PATCH', path: uri, body: { deadline: '2027-08-08' } }],
    })
    await p.follow('/tasks?api-version=v1', member, [
      () => p.send(`PATCH ${uri}`, member, { due: '2027-09-09' }),
    ])

    for (const as of ['member', 'manager', 'other', 'admin']) await p.send(`GET ${uri}/history`, { as })
    const versions = (await p.send(`GET /tasks/${engine}/history?limit=3`, member)).json as {
      version: string
    }[]
    for (const { version } of versions) {
      for (const format of ['json', 'hal-forms', 'html'])
        await p.send(`GET /tasks/${engine}/history/${version}?format=${format}`, member)
    }
    await p.send(`GET /tasks/${engine}/history/nothing`, member)
    await p.send(`GET /tasks/${engine}/history?api-version=v1`, member)
    // In CSV a version that starts with `-` is longer than another one.
    for (const format of ['ndjson', 'xml', 'html'])
      await p.send(`GET /tasks/${engine}/history?format=${format}`, member)
    await p.send(`GET /projects/${rocket}/history`, { as: 'manager' })

    const hook = { url: 'https://hooks.example/in', events: ['tasks.created', 'entries.*'] }
    for (const as of ['member', 'admin']) {
      for (const body of [
        hook,
        { ...hook, url: 'http://hooks.example' },
        { ...hook, url: 'https://u:p@hooks.example' },
        { ...hook, events: ['nothing.created'] },
        { url: 'x' },
        {},
      ]) {
        await p.send('POST /webhooks', { as }, { active: false, ...body })
      }
    }
    const webhook = String(
      (await p.send('POST /webhooks', { as: 'admin', accept: 'text/html' }, { ...hook, active: false }))
        .fields.location,
    )
    for (const format of ['json', 'html', 'hal-forms', 'xml', 'csv'])
      await p.send(`GET /webhooks?format=${format}`, { as: 'admin' })
    for (const line of [
      `GET ${webhook}`,
      `POST ${webhook}/rotate`,
      `GET ${webhook}`,
      `GET ${webhook}?format=html`,
      `GET ${webhook}/deliveries`,
      `GET ${webhook}/deliveries?format=html`,
      `POST ${webhook}/deliveries/x/redeliver`,
      `DELETE ${webhook}`,
      `GET ${webhook}`,
    ])
      await p.send(line, { as: 'admin' })

    await p.send(`DELETE /tasks/${hull}`, member)
    await p.send(`DELETE /tasks/${hull}`, { as: 'manager' })
    await p.send(`GET /tasks/${hull}/history`, member)
    await p.send(`DELETE /projects/${rocket}`, { as: 'manager' })
    await p.send('GET /tasks', member)
    await p.send('DELETE /organisations/bolt', { as: 'admin' })
    await p.send('GET /projects', { as: 'other' })
    await p.send('GET /audit?limit=10', { as: 'admin' })
  },
}
