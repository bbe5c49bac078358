/** Calls an action of the service. */

type SendAction = (
  uri: string,
  sending: { readonly method: string; readonly sent: object; readonly keyed: boolean },
) => Promise<Response>

interface ActionConnection {
  readonly exchange: SendAction
  readonly tags: Map<string, string>
  readonly keyed: boolean
}

/** Returns the item in the response, if any, and updates the known entity tags of changed items. */
export async function callAction(
  { exchange, tags, keyed }: ActionConnection,
  uri: string,
  sent: object,
): Promise<unknown> {
  const response = await exchange(uri, { method: 'POST', sent, keyed })
  const see = (item: string, tag: string) => tags.has(item) && tags.set(item, tag)
  see(uri.slice(0, uri.lastIndexOf('/')), '')
  const { headers } = response
  see(String(new URL(headers.get('content-location') ?? '', uri)), headers.get('etag') ?? '')
  const text = await response.text()
  return text ? JSON.parse(text) : undefined
}
