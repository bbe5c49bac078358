/** How the client reached the service, for links that must be whole. */

import type { HttpRequest } from '../../http/message.ts'

/** Scheme and authority; the Host field was checked before the request came here. */
export function originOf({ fields, peer }: HttpRequest): string {
  return `${peer.secure ? 'https' : 'http'}://${fields.host ?? 'localhost'}`
}
