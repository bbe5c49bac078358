/** The practice under /api of a Fastify application, with a page of its own for the people who work there. */

import fastify from 'fastify'
import { openService } from 'restwell'
import practice from './service.ts'

export const service = await openService(practice, {
  database: 'file::memory:',
  base: '/api',
  admin: { login: 'admin@practice.example', password: 'correct horse battery' },
})

const app = fastify()
app.addHook('onRequest', (request, reply, done) => {
  if (!/^\/api(?:[/?]|$)/.test(request.url)) return done()
  reply.hijack()
  service.listener(request.raw, reply.raw)
})

/** Today's visits, and the newest open invoice. With `?remind`, each patient gets a reminder: all of them, or none. */
app.get('/dashboard', async ({ raw, query }) => {
  const me = await service.authenticate(raw)
  if (me instanceof Response) return me
  const { appointments, invoices, transaction } = service.as(me)
  const visits = await appointments.today({})
  const [open] = await invoices.list({ status: 'open', sort: '-number', limit: 1 })
  const pdf = open && (await invoices.pdf(open.id, {}))
  if ('remind' in query)
    await transaction(async ({ reminders }) => {
      for (const { patient, start } of visits)
        await reminders.create({ patient, due: start.slice(0, 10), text: 'Vaccination' })
    })
  return [...visits.map(({ start, reason }) => `${start} ${reason}`), pdf?.name].join('\n')
})
await app.ready()

export const server = app.server

if (import.meta.main) await app.listen({ port: 3000 })
