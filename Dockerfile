# Serves the definition at /app/service.ts and stores its data in /data:
#   docker build -t restwell .
#   docker run -p 3000:3000 -v "$PWD:/app:ro" -v restwell-data:/data restwell

FROM node:26-slim AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp \
  && npm install --prefix /package --no-audit --no-fund /tmp/restwell-*.tgz

FROM node:26-slim
# A definition in /app finds `restwell` in /node_modules.
COPY --from=build /package/node_modules /node_modules
RUN install --directory --owner=node --group=node --mode=700 /data
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/restwell.db
USER node
WORKDIR /app
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/node_modules/restwell/bin/restwell.js"]
CMD ["serve", "service.ts"]
