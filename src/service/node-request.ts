/** The members of a request of `node:http` that `authenticate` reads. Its types do not require `@types/node`. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}
