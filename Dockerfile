# Serves the definition at /app/service.ts and stores its data in /data. Builds from a clone of the repository, and from
# the files of the package (npm pack restwell, then unpack it):
#   docker build -t restwell .
#   docker run -p 3000:3000 -v "$PWD:/app:ro" -v restwell-data:/data restwell

FROM node:26-slim AS build
WORKDIR /source
COPY . .
# The package has dist; a clone builds it.
RUN test -d dist || { npm ci --no-audit --no-fund && npm run build; }
# npm leaves the lock file out of packages, so `npm run build` puts a copy into dist.
RUN cp dist/package-lock.json . && npm ci --omit=dev --no-audit --no-fund

FROM node:26-slim
# A definition in /app finds `restwell` in /node_modules.
COPY --from=build /source/package.json /node_modules/restwell/package.json
COPY --from=build /source/node_modules /node_modules/restwell/node_modules
COPY --from=build /source/assets /node_modules/restwell/assets
COPY --from=build /source/bin /node_modules/restwell/bin
COPY --from=build /source/dist /node_modules/restwell/dist
COPY --from=build /source/src /node_modules/restwell/src
RUN mkdir -m 700 /data && chown node:node /data
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/restwell.db
USER node
WORKDIR /app
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/node_modules/restwell/bin/restwell.js"]
CMD ["serve", "service.ts"]
