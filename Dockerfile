# Node 26 is one of the packages. An image with npm installs them; the image that runs has no other Node.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# The dashboard is built here, with packages that the image does not need.
FROM node:24-bookworm-slim AS dashboard
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY openapi.json ./
COPY src ./src
COPY dashboard ./dashboard
RUN node_modules/.bin/node dashboard/build.ts

FROM debian:bookworm-slim
# Node 26 needs libatomic, and certificates to trust receivers of webhooks; the slim image leaves both out.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 1000 --home-dir /data --shell /usr/sbin/nologin laurel
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY src ./src
COPY --from=dashboard /app/dashboard/dist ./dashboard/dist
# The bundle is made and compiled once, here: each start of a container finds it and takes half the CPU.
ENV NODE_COMPILE_CACHE=/app/node_modules/.cache/laurel
RUN node_modules/.bin/node src/cli/laurel.ts openapi > /dev/null
# The only folder that is written to: credentials files, and the database when DATABASE_URL names no other.
RUN mkdir --mode=0700 /data && chown laurel /data
USER 1000
ENV HOST=0.0.0.0 PORT=3000 LAUREL_DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# As `npm start` has it: more room for what lives as long as a request makes collecting it a quarter cheaper; all else is collected when
# it has grown by 60 %.
ENTRYPOINT ["node_modules/.bin/node", "--max-semi-space-size=64", "--heap-growing-percent=60", "src/cli/laurel.ts"]
CMD ["serve"]
