/**
 * /sign-in-links: asks for a mail with a link to sign in. The response and its work are the same for known and unknown
 * addresses, the cookie included.
 */

import { randomUUIDv7 } from 'node:crypto'
import { signInLinksUri } from '../../views/uri.ts'
import { linkRequestDocument } from '../mail/link-request.ts'
import { queueAccountMail } from '../mail/linked-mail.ts'
import { mailContextOf } from '../mail/mail-context.ts'
import { nextOf, requireOwnSender } from '../sign-in/sign-in.ts'
import { awaitedLink, linkLifetime } from './link-browser.ts'

export const signInLinks = linkRequestDocument({
  route: '/sign-in-links',
  name: 'sign-in-links',
  title: 'Sign in by a link',
  autocomplete: 'username',
  others: [],
  authenticates: false,
  parameters: ['next', 'elsewhere'],
  keptParameter: 'next',
  uriOf: signInLinksUri,
  async ask({ service, request }, login) {
    requireOwnSender(request)
    const mail = randomUUIDv7()
    const more = { identity: mail, lifetime: linkLifetime * 1000 }
    await queueAccountMail(mailContextOf(service), 'signIn', login, more)
    const awaited = { mail, next: nextOf(service.model, request) }
    return { 'Set-Cookie': awaitedLink.format(request.client, service.encryption, awaited) }
  },
})
