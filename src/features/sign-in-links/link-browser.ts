/**
 * The browser that asked for a link, by a cookie. A newer link of the browser takes the place of an older one. The cookie
 * is Lax, because pages of mail programs lead to the link.
 */

import { sealedCookie } from '../../access/sealed-cookie.ts'

/** The link that the browser waits for. */
interface AwaitedLink {
  /** The identity of its mail. */
  readonly mail: string
  /** The path to go to afterwards. */
  readonly next: string
}

/** In seconds: how long a link is good for. */
export const linkLifetime = 900

export const awaitedLink = sealedCookie<AwaitedLink>({
  name: 'link',
  lifetime: linkLifetime,
  sameSite: 'Lax',
})
