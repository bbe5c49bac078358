/** The absolute URI that all extension relations begin with (RFC 8288 §2.1.2). */

import { relationUri } from '../view/uri.ts'
import type { Context } from './context.ts'

/** Below PUBLIC_URL, else below the origin that the client asked. */
export function relationsAt({ model, publicUrl }: Context, origin: string): string {
  return publicUrl === undefined ? origin + relationUri(model, '') : `${publicUrl}/relations/`
}
