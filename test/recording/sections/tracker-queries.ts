/** Paths, derived fields, sets, aggregates, embedded items and the older version of the tracker. */

import { openTracker } from '../worlds.ts'
import type { Section } from './sections.ts'

export const trackerQueries: Section = {
  name: 'tracker-queries',
  open: openTracker,
  onPostgres: true,
  async play(p) {
    const [rocket, engine, urgent] = [p.id('projects'), p.id('tasks'), p.id('labels')]
    const lines = [
      '/tasks?project.name=Rocket',
      '/tasks?project.organisation.slug=acme',
      '/tasks?project.organisation.name[starts]=b',
      '/tasks?project.budget[gte]=1',
      '/tasks?entries.hours[gt]=3',
      '/tasks?entries[missing]=true',
      '/tasks?entries.note[missing]=true',
      '/tasks?labels[missing]=true',
      `/tasks?labels[has]=${urgent}`,
      '/tasks?labels.name=urgent',
      '/tasks?assignee.name=Max',
      '/tasks?assignee[missing]=true&sort=-number',
      '/tasks?sort=project.name,-number',
      '/tasks?sort=assignee.name',
      '/tasks?sort=entries.hours',
      '/tasks?sort=due&limit=1',
      '/tasks?sort=-hours',
      '/tasks?hours[gte]=5',
      '/tasks?commentCount=1',
      '/tasks?overdue=true',
      '/tasks?fields=title,overdue,commentCount,hours',
      '/tasks?embed=project,assignee,labels',
      '/tasks?embed=project.organisation,comments.author',
      '/tasks?embed=entries&fields=title',
      '/tasks?q=engine',
      '/tasks?status=in review',
      '/tasks?due[lte]=2027-12-31&status[ne]=done',
      '/tasks?due=2027-13-01',
      '/tasks?description[contains]=x',
      '/tasks?attachments[missing]=true',
      '/tasks?remindedAt[missing]=true',
      '/projects?openTasks[gt]=0',
      '/projects?sort=-taskCount,name',
      '/projects?budget[gte]=1',
      '/projects?sort=budget',
      '/projects?fields=budget',
      '/projects?tasks.status=open',
      '/projects?tasks.assignee.name=Max',
      '/projects?embed=tasks.assignee',
      '/entries/-/aggregate?group-by=task.project&aggregate=hours.sum,count',
      `/entries/-/aggregate?task.project=${rocket}&group-by=task&aggregate=hours.sum`,
      '/entries/-/aggregate?group-by=day.month,author&aggregate=hours.avg,hours.min,hours.max',
      '/entries/-/aggregate?aggregate=count,hours.sum,hours.avg',
      '/entries/-/aggregate?group-by=day.day&aggregate=count&sort=-count,day.day',
      '/entries/-/aggregate?group-by=note&aggregate=count',
      '/entries/-/aggregate?group-by=hours&aggregate=day.max',
      '/entries/-/aggregate?group-by=author.email&aggregate=count',
      '/memberships?user.email=max@example.org',
      '/users?email=max@example.org',
      `/projects/${rocket}/tasks?sort=-number&embed=labels`,
      `/projects/${rocket}/tasks/-/aggregate?aggregate=count&group-by=status`,
      `/projects/${rocket}/tasks?project=${rocket}`,
      `/tasks/${engine}?embed=project,labels,entries,comments`,
      `/tasks/${engine}?fields=title,hours&embed=project`,
      `/tasks/${engine}?fields=nothing`,
      `/tasks/${engine}/entries?sort=-day&limit=1`,
    ]
    for (const line of lines) {
      await p.send(`GET ${encodeURI(line)}`, { as: 'member' })
      await p.send(`GET ${encodeURI(line)}`, { as: line.includes('budget') ? 'manager' : 'other' })
    }
    for (const line of [
      '/entries/-/aggregate?group-by=task&aggregate=hours.sum,count',
      '/tasks?embed=project,labels&fields=title',
      `/projects/${rocket}/tasks?limit=1`,
      '/projects?fields=name,taskCount,openTasks',
    ]) {
      for (const format of ['hal', 'hal-forms', 'xml', 'csv', 'ndjson'])
        await p.send(`GET ${line}&format=${format}`, { as: 'member' })
    }
    for (const line of [
      '/entries/-/aggregate?group-by=task&aggregate=hours.sum,count',
      `/projects/${rocket}/tasks`,
      '/tasks?embed=project',
      '/tasks?project.name=Rocket',
    ]) {
      await p.send(`GET ${line}`, { as: 'manager', accept: 'text/html' })
    }
    for (const [query, content] of [
      ['', { project: rocket, status: { in: ['open', 'in review'] } }],
      ['?sort=-number&limit=1', { any: [{ 'labels.name': 'urgent' }, { 'entries.hours': { gt: '100' } }] }],
      ['/-/aggregate?aggregate=count&group-by=status', { not: { status: 'done' } }],
      ['?embed=assignee', { 'assignee.name': { starts: 'm' } }],
      ['?api-version=v1', { deadline: '2027-03-01' }],
      ['', { deadline: '2027-03-01' }],
      ['', { labels: { has: urgent } }],
      ['', { hours: { gte: '5.50' } }],
    ] as const) {
      await p.send(`QUERY /tasks${query}`, { as: 'member' }, content)
      await p.send(`QUERY /projects/${rocket}/tasks${query}`, { as: 'member' }, content)
    }
    const old = { as: 'member', accept: 'application/x.tracker.v1+json' }
    for (const line of [
      '/tasks?api-version=v1',
      '/tasks?api-version=v2',
      '/tasks?api-version=',
      '/tasks?api-version=v1&deadline=2027-03-01&fields=title,deadline',
      '/tasks?api-version=v1&due=2027-03-01',
      '/tasks?api-version=v1&sort=-deadline',
      '/tasks?api-version=v1&format=hal',
      '/tasks?api-version=v1&format=xml',
      '/tasks?api-version=v1&format=html',
      '/tasks/-/aggregate?api-version=v1&group-by=deadline&aggregate=count',
      `/tasks/${engine}?api-version=v1`,
      `/tasks/${engine}?api-version=v1&embed=project`,
      `/projects/${rocket}?api-version=v1&embed=tasks`,
      '/projects?api-version=v1',
      '/events?api-version=v1&limit=100',
    ]) {
      await p.send(`GET ${line}`, { as: 'member' })
    }
    for (const path of [
      '/tasks',
      `/tasks/${engine}`,
      '/projects',
      '/tasks?format=json',
      '/tasks?api-version=v1',
    ])
      await p.send(`GET ${path}`, old)
    await p.send('GET /tasks', { ...old, accept: 'application/x.tracker.v9+json' })
    await p.send('GET /tasks?api-version=v1', { ...old, accept: 'text/html' })
  },
}
