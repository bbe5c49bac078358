/** The content of webhook requests: `{ "type", "timestamp", "data" }`, with data as in /events. */

import type { JsonValue, Model } from '../../definition/model.ts'
import { eventObject } from '../../requests/events/event-object.ts'
import type { VersionCodec } from '../../requests/events/version-token.ts'
import type { VisibleItemChange } from '../../requests/events/visible-change.ts'

export interface MessageBody {
  readonly type: string
  /** The URI of the item; undefined for a test. */
  readonly href: string | undefined
  readonly text: string
}

/** In octets; larger items are left out. */
const maxBodyOctets = 20_000

export function formatChangeBody(
  model: Model,
  versions: VersionCodec,
  change: VisibleItemChange,
): MessageBody {
  const data = eventObject(model, versions, change)
  const [type, href, at] = [String(data.type), String(data.href), String(data.at)]
  const whole = formatBody(type, at, data)
  const text =
    Buffer.byteLength(whole) > maxBodyOctets
      ? formatBody(type, at, { event: String(data.event), href })
      : whole
  return { type, href, text }
}

/** The type of a test. */
export const pingType = 'ping'

export function formatPingBody(at: string): MessageBody {
  return { type: pingType, href: undefined, text: formatBody(pingType, at, {}) }
}

function formatBody(type: string, timestamp: string, data: Readonly<Record<string, JsonValue>>): string {
  return JSON.stringify({ type, timestamp, data })
}
