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

/** The visits of a day that the caller may see. With `?remind`, each patient gets a reminder: all of them, or none. */
app.get('/day/:day', async ({ raw, params, query }) => {
  const me = await service.authenticate(raw)
  if (me instanceof Response) return me
  const { appointments, transaction } = service.as(me)
  const visits = await appointments.list({
    start: { gte: `${params.day}T00:00:00Z`, lt: `${params.day}T23:59:59Z` },
  })
  if ('remind' in query)
    await transaction(async ({ reminders }) => {
      for (const { patient } of visits)
        await reminders.create({ patient, due: params.day, text: 'Vaccination' })
    })
  return visits.map(({ start, reason }) => `${start} ${reason}`).join('\n')
})
await app.ready()

export const server = app.server

if (import.meta.main) await app.listen({ port: 3000 })
