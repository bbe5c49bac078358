/** Mails of the studio: sign-up, password resets, verifications, invitations, and their pages. */

import { basic } from '../../service.ts'
import { openStudio, password, type World } from '../worlds.ts'
import type { Section } from './sections.ts'

const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
const formed = { ...page, 'content-type': 'application/x-www-form-urlencoded' }

/** The path of the newest link in the mails. */
async function newestLink(p: World): Promise<string> {
  const { json } = await p.prepare('GET /mails', { accept: 'application/json' })
  const [{ text }] = json as [{ text: string }]
  return /\/(?:password-resets|verifications|invitations)\/[\w-]{43}/.exec(text)?.[0] ?? ''
}

export const studioMails: Section = {
  name: 'studio-mails',
  open: openStudio,
  async play(p) {
    const ann = { as: 'ann' }
    const account = { email: 'new@example.org', name: 'New', password }
    await p.send('POST /people', {}, account)
    await p.send('POST /people', {}, { ...account, email: 'ann@example.org' })
    await p.send('POST /people', {}, { ...account, password: 'short' })
    await p.send(
      'POST /people',
      formed,
      `email=form@example.org&name=Form&password=${password.replaceAll(' ', '+')}`,
    )
    await p.send('GET /mails')
    await p.send('GET /mails', page)
    await p.send('POST /people', {}, { ...account, email: 'third@example.org' })
    const proof = await newestLink(p)
    for (const accept of ['text/html', 'application/json', 'text/csv'])
      await p.send(`GET ${proof}`, { ...page, accept })
    await p.send(`HEAD ${proof}`)
    await p.send(`POST ${proof}`, {}, {})
    await p.send(`POST ${proof}`, {}, { password: 'wrong words' })
    await p.send(`POST ${proof}`, {}, { password })
    await p.send(`POST ${proof}`, {}, { password })
    await p.send('GET /people', { as: 'admin' })

    for (const login of ['ann@example.org', 'none@example.org', '', 7])
      await p.send('POST /password-resets', {}, { login })
    await p.send('POST /password-resets', formed, 'login=bob@example.org')
    await p.send('POST /password-resets', { 'content-type': 'text/plain' }, 'x')
    await p.send('POST /password-resets?x=1', {}, { login: 'x' })
    for (const path of ['/password-resets', '/verifications', '/invitations']) {
      for (const accept of ['text/html', 'application/json', 'application/xml'])
        await p.send(`GET ${path}`, { accept })
      await p.send(`OPTIONS ${path}`)
      await p.send(`GET ${path}/${'x'.repeat(43)}`)
      await p.send(`GET ${path}/${'x'.repeat(43)}`, page)
      await p.send(`POST ${path}/${'x'.repeat(43)}`, {}, { password })
    }
    const reset = await newestLink(p)
    await p.send(`GET ${reset}`, page)
    await p.send(`POST ${reset}`, formed, 'password=short')
    await p.send(`POST ${reset}`, formed, 'password=a+better+password')
    await p.send(`POST ${reset}`, formed, 'password=a+better+password')
    await p.send('GET /tokens', { as: 'bob' })
    await p.send('GET /tokens', {
      authorization: basic('bob@example.org', 'a better password').authorization,
    })

    p.addCaller('password ann', basic('ann@example.org', password))
    for (const body of [
      { login: 'ann@example.org' },
      { login: 'ann@new.example', currentPassword: 'wrong' },
      { login: 'ann@new.example', currentPassword: password },
    ]) {
      await p.send('POST /verifications', { as: 'password ann' }, body)
    }
    const address = await newestLink(p)
    await p.send(
      `PATCH /people/${p.id('people', 1)}`,
      { as: 'password ann' },
      { email: 'ann@other.example', currentPassword: password },
    )
    await p.send(`POST ${address}`, { as: 'password ann' }, {})
    await p.send('GET /mails')

    for (const body of [
      { email: 'guest@example.org' },
      { email: 'bob@example.org' },
      { email: 'boss@example.org', role: 'admin' },
      { email: 'x' },
      { email: 'guest@example.org', role: 'member' },
      { email: 'guest@example.org' },
      { email: 'guest@example.org' },
    ]) {
      await p.send('POST /invitations', ann, body)
    }
    const boss = await p.send(
      'POST /invitations',
      { as: 'admin' },
      { email: 'boss@example.org', role: 'admin' },
    )
    const invitation = await newestLink(p)
    for (const as of ['ann', 'admin', 'bob']) await p.send('GET /invitations', { as })
    await p.send('GET /invitations', { ...page, as: 'admin' })
    await p.send(`GET ${boss.fields.location}`, ann)
    await p.send(`GET ${invitation}`, page)
    await p.send(`POST ${invitation}`, {}, { password })
    await p.send(`POST ${invitation}`, {}, { password, name: 'Boss', role: 'member' })
    await p.send(`POST ${invitation}`, formed, `password=${password.replaceAll(' ', '+')}&name=Boss`)
    await p.send(`GET ${boss.fields.location}`, { as: 'admin' })
    const kept = (await p.send('GET /invitations', ann)).json as { id: string }[]
    for (const { id } of kept.slice(0, 1)) {
      await p.send(`DELETE /invitations/${id}`, { as: 'bob' })
      await p.send(`DELETE /invitations/${id}`, ann)
    }
    await p.send('GET /people?fields=name,role', { as: 'admin' })
    await p.send('GET /sign-in', page)
    await p.send('GET /people', page)
    await p.send('GET /audit?limit=4', { as: 'admin' })
  },
}
