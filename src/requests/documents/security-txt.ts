/** /.well-known/security.txt (RFC 9116): where to report a vulnerability of the service. */

import { refuse } from '../../refusal.ts'
import type { Document } from '../context/target.ts'

const day = 86_400_000
/** §2.5.5 recommends less than a year. */
const validDays = 180

export const securityTxt: Document = {
  route: '/.well-known/security.txt',
  personal: false,
  async respond({ service: { model, publicUrl, clock } }) {
    if (model.securityContact === undefined) throw refuse('not-found', { detail: "This page doesn't exist." })
    const expires = new Date((Math.floor(clock.now() / day) + validDays) * day).toISOString()
    const canonical = publicUrl?.startsWith('https:') ? [`Canonical: ${publicUrl}${securityTxt.route}`] : []
    const lines = [`Contact: ${model.securityContact}`, `Expires: ${expires}`, ...canonical]
    const fields = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'public, max-age=86400',
      'Content-Security-Policy': "default-src 'none'",
    }
    return { status: 200, fields, body: `${lines.join('\n')}\n` }
  },
}
